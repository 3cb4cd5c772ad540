import type { ServerResponse } from '@mintmark/core/http'

/** A complete HTML page. */
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

/** A response with a page. */
export const htmlResponse = (body: string, status = 200): ServerResponse => ({
  status,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ...pageHeaders],
  body,
})

/** The headers of every page: it may load only the example's own style and script, and cannot be framed. */
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

/** Markup that needs no escaping. */
export interface Markup {
  readonly markup: string
}

type Hole = string | Markup | readonly Markup[] | undefined

/** A template that escapes strings, for text and for attribute values in double quotes. */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Markup {
  return { markup: parts.map((part, at) => part + render(holes[at])).join('') }
}

function render(hole: Hole): string {
  if (hole === undefined) return ''
  if (typeof hole === 'string') return hole.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in hole ? hole.markup : hole.map(({ markup }) => markup).join('')
}

/** A member of a document as text; empty when it is missing, or is an object or a list. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
