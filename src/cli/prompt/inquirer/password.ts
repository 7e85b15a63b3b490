export { password } from '@inquirer/prompts'
