/** Markup that is safe as it stands. */
export interface Markup {
  readonly markup: string
}

type Hole = string | Markup | readonly Markup[] | undefined

/** A template whose strings are escaped, for text and for attribute values in double quotes. */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Markup {
  return { markup: parts.map((part, at) => part + render(holes[at])).join('') }
}

function render(hole: Hole): string {
  if (hole === undefined) return ''
  if (typeof hole === 'string') return hole.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in hole ? hole.markup : hole.map(({ markup }) => markup).join('')
}
