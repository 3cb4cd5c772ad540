/** Formats a Markdown table. Escapes bars, and `<` outside code, which the site would interpret as an element. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')

const escapeCell = (cell: string): string =>
  cell.replaceAll('|', '\\|').replaceAll(/(`[^`]*`)|</g, (_, code: string | undefined) => code ?? '&lt;')
