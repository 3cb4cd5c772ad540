import type { ServerResponse } from '@mintmark/core/http'

/** Returns a complete HTML page. */
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

/** Returns a response with a page. */
export const htmlResponse = (body: string, status = 200): ServerResponse => ({
  status,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ...pageHeaders],
  body,
})

/** The headers of every page. A page may load only the example's own style and script, and cannot be framed. */
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

type Interpolation = string | Markup | readonly Markup[] | undefined

/** A template tag that escapes strings, for use in text and in attribute values in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Interpolation[]): Markup {
  return { markup: parts.map((part, index) => part + render(values[index])).join('') }
}

function render(value: Interpolation): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/** Returns a string or number as text; returns an empty string for any other value. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
