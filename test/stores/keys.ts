/** Keys for tests, in both of their forms. */
export const KEY = '00112233445566778899aabbccddeeff'.repeat(2)
export const OTHER_KEY = Buffer.alloc(32, 7).toString('base64')
