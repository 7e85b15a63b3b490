export { checkbox } from '@inquirer/prompts'
