import type { ServerResponse } from '@mintmark/core/http'

/** A whole page. */
export const htmlDocument = (title: string, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.markup

/** The answer that is a page. */
export const htmlResponse = (body: string, status = 200): ServerResponse => ({
  status,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ...pageHeaders],
  body,
})

/** What every page of the example may load and do: its own style and script, nothing from elsewhere, and no frames. */
export const pageHeaders: readonly (readonly [name: string, value: string])[] = [
  [
    'Content-Security-Policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      'img-src data:',
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
]

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

/** A member of a document as text; empty when it is not there, or has parts of its own. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
