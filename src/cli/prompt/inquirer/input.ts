export { input } from '@inquirer/prompts'
