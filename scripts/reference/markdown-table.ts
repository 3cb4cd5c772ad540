/** A table of Markdown. Bars in cells are escaped, and outside code `<`, which the site would read as an element. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')

const escaped = (cell: string): string =>
  cell.replaceAll('|', '\\|').replaceAll(/(`[^`]*`)|</g, (_, code: string | undefined) => code ?? '&lt;')
