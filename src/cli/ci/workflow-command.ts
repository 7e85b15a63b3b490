/** One line that GitHub's runner obeys: `::error file=…,line=…::message`. */
export function workflowCommand(
  name: 'error' | 'notice' | 'warning' | 'add-mask',
  message: string,
  properties: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeProperty(String(value))}`],
  )
  return `::${name}${given.length === 0 ? '' : ` ${given.join(',')}`}::${escapeData(message)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
