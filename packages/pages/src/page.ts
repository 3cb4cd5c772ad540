import type { ServerResponse } from '@mintmark/core/http'
import { formActionSource } from './form-action-source.ts'
import { dangerouslyUnescaped, html, toMarkup, type Fragment } from './html.ts'
import type { Messages } from './messages/messages.ts'
import { stylesheet, stylesheetHash } from './stylesheet.ts'

interface Page {
  readonly messages: Pick<Messages, 'lang' | 'dir'>
  readonly title: string
  readonly status: number
  /** Where this page's form may lead. */
  readonly formAction: FormAction
  readonly body: Fragment
}

/** A page without a form posts nowhere; one with a form posts to itself, and may be redirected to the validated URI. */
type FormAction = 'none' | { readonly redirectUri: string | undefined }

/** The frame of every page: the document, and the headers that guard it. */
export function page({ messages, title, status, formAction, body }: Page): ServerResponse {
  const document = html`<!doctype html>
<html lang="${messages.lang}" dir="${messages.dir}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${style}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  return {
    status,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', contentSecurityPolicy(formAction)],
      // RFC 9700 §4.16: a page that asks for a decision must not be framed; the older header is for older browsers.
      ['X-Frame-Options', 'DENY'],
      // The address holds an interaction's handle: other origins never see it. `no-referrer` would hide it from our own
      // too, but then Chrome posts the form with `Origin: null` (seen in 156), and the server could not tell it from a
      // cross-site POST in a browser that sends no Sec-Fetch-Site.
      ['Referrer-Policy', 'same-origin'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-store'],
    ],
    body: toMarkup(document),
  }
}

function contentSecurityPolicy(formAction: FormAction): string {
  return [
    `default-src 'none'`,
    `style-src '${stylesheetHash}'`,
    `form-action ${formActionSources(formAction)}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ')
}

function formActionSources(formAction: FormAction): string {
  if (formAction === 'none') return `'none'`
  const source = formAction.redirectUri === undefined ? undefined : formActionSource(formAction.redirectUri)
  return source === undefined ? `'self'` : `'self' ${source}`
}

const style = dangerouslyUnescaped(`<style>${stylesheet}</style>`)
