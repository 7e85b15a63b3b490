export const execute = null as never
