export { Separator, search } from '@inquirer/prompts'
