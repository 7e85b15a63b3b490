export { search } from '@inquirer/prompts'
