export { select } from '@inquirer/prompts'
