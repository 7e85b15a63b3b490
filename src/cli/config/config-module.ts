import type { ImportDefault } from './config-file.ts'

/** Imports a configuration file that holds code, as flows are imported. */
export function importConfig(root: string): ImportDefault {
  return async (file) => {
    const { loadModule } = await import('../load/load-module.ts')
    const { namespace } = await loadModule({ file, root })
    const exported = namespace['default']
    // CommonJS puts everything below `default` once more.
    const isNested = typeof exported === 'object' && exported !== null && 'default' in exported
    return isNested ? exported.default : exported
  }
}
