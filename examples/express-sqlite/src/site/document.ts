import type { ServerResponse } from '@mintmark/core/http'

import { html, type Markup } from './html.ts'

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
