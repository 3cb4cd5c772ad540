import type { ServerResponse } from '@mintmark/core/http'
import { dangerouslyUnescaped, type Fragment, html, toMarkup } from './html.ts'
import type { LanguageChoice } from './languages/choose-language.ts'
import type { Messages } from './languages/messages.ts'
import { stylesheet, stylesheetHash } from './stylesheet.ts'

/** The branding of a product, checked and rendered by `createPages`. */
export interface Brand {
  readonly productName: string
  readonly header: Fragment
  readonly footer: Fragment | undefined
  /** CSS that replaces the colours of the stylesheet. */
  readonly style: string | undefined
  /** The Content Security Policy sources of the logos. */
  readonly imageSources: readonly string[]
  readonly forgotPasswordUrl: string | undefined
  readonly createAccountUrl: string | undefined
}

/** The language and the branding of a page. */
export interface Look extends LanguageChoice {
  /** `createPages` sets it. */
  readonly brand?: Brand | undefined
}

interface Page {
  readonly brand: Brand | undefined
  readonly messages: Pick<Messages, 'lang' | 'dir'>
  readonly title: string
  readonly status: number
  /** Where the form of the page may post and redirect to. */
  readonly formAction: FormAction
  /** The addresses of the frames in the body. */
  readonly frames?: readonly string[]
  /** The addresses of the images in the body. */
  readonly images?: readonly string[]
  /** The address to which the page continues automatically. The body must have a link to it with the id `continue`. */
  readonly continueTo?: string | undefined
  readonly body: Fragment
}

/** `none` for a page without a form. A form posts to its own page, and may be redirected to the validated URI. */
type FormAction = 'none' | { readonly redirectUri: string | undefined }

/** Renders a page: the document around the body, and the headers that protect it. */
export function page({
  brand,
  messages,
  title,
  status,
  formAction,
  frames = [],
  images = [],
  continueTo,
  body,
}: Page): ServerResponse {
  const nonce = brand?.style === undefined ? undefined : createNonce()
  const document = html`<!doctype html>
<html lang="${messages.lang}" dir="${messages.dir}">
<head>
<meta charset="utf-8">
<title>${title}${brand && ` – ${brand.productName}`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${continueTo && html`<meta http-equiv="refresh" content="${continueAfter};url=${continueTo}">`}
${style}
${nonce && dangerouslyUnescaped(`<style nonce="${nonce}">${brand?.style}</style>`)}
</head>
<body>
<main>
${brand?.header}
${body}
</main>
${brand?.footer}
${continueTo && script}
</body>
</html>
`
  return {
    status,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', contentSecurityPolicy({ formAction, frames, images, continueTo, brand }, nonce)],
      // RFC 9700 §4.16: a page that asks for a decision must not be framed. Older browsers need this header.
      ['X-Frame-Options', 'DENY'],
      // The address contains an interaction's handle, which other origins must not see. With `no-referrer`, Chrome posts the
      // form with `Origin: null` (seen in 156), and the server could not distinguish it from a cross-site POST in a browser
      // that sends no Sec-Fetch-Site.
      ['Referrer-Policy', 'same-origin'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-store'],
    ],
    body: toMarkup(document),
  }
}

function contentSecurityPolicy(
  {
    formAction,
    frames = [],
    images = [],
    continueTo,
    brand,
  }: Pick<Page, 'formAction' | 'frames' | 'images' | 'continueTo' | 'brand'>,
  nonce: string | undefined,
): string {
  const imageSources = [
    ...new Set([...(brand?.imageSources ?? []), ...images.flatMap((url) => originSource(url) ?? [])]),
  ]
  const frameSources = [...new Set(frames.flatMap((frame) => originSource(frame) ?? []))]
  return [
    `default-src 'none'`,
    `style-src '${stylesheetHash}'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    ...(imageSources.length === 0 ? [] : [`img-src ${imageSources.join(' ')}`]),
    ...(frameSources.length === 0 ? [] : [`frame-src ${frameSources.join(' ')}`]),
    ...(continueTo === undefined ? [] : [`script-src '${scriptHash}'`]),
    `form-action ${formActionSources(formAction)}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ')
}

/** Returns 128 random bits (CSP 3 §7.1). A hash instead would need a digest, which is asynchronous in some runtimes. */
function createNonce(): string {
  // oxlint-disable-next-line eslint/no-restricted-properties -- the injected Random would add a dependency to this package.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function formActionSources(formAction: FormAction): string {
  if (formAction === 'none') return `'none'`
  const source = formAction.redirectUri === undefined ? undefined : formActionSource(formAction.redirectUri)
  return source === undefined ? `'self'` : `'self' ${source}`
}

/** For how many seconds a page waits for its frames to load. */
const continueAfter = 3

/** Continues after the timeout even if a frame hangs, which delays the load event and the refresh of the document. */
const scriptText = `(function () {
  var link = document.getElementById('continue')
  function go() { location.replace(link.href) }
  addEventListener('load', go)
  setTimeout(go, ${continueAfter}000)
})()`

const script = dangerouslyUnescaped(`<script>${scriptText}</script>`)

/** A constant, so that no page waits for a digest. A test compares it with the script. */
export const scriptHash = 'sha256-68UZviEhheCutKUhtELxKPPC72Ns/IK2ZougC8RLNI8='

const style = dangerouslyUnescaped(`<style>${stylesheet}</style>`)

/**
 * Returns the Content Security Policy source that allows the response to a form to redirect to the client. Chrome applies
 * `form-action` to the whole chain of redirects after a POST, so the policy must contain the origin of the redirect URI.
 * Returns `undefined` when a browser must not be sent to the scheme of the URI.
 *
 * The chain does not end at the client: if its callback immediately redirects to another origin, Chrome blocks that
 * redirect. The callback must then be on that other origin.
 * @param redirectUri a redirect URI that the client has registered.
 */
export function formActionSource(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined
  const { protocol, hostname, host, port } = new URL(redirectUri)

  if (protocol === 'https:' || protocol === 'http:') {
    if (expressibleHost.test(hostname)) return `${protocol}//${host}`
    // CSP 3 §2.3.1 cannot express an IPv6 address, and Chrome ignores `http://[::1]:5000`. The narrowest source that allows
    // it is any host with this scheme and port. The server still decides where it redirects.
    return `${protocol}//*${port === '' ? '' : `:${port}`}`
  }
  // RFC 8252 §7.1: the private-use scheme of an app is a reversed domain name. `javascript:` and `data:` are not.
  return privateUseScheme.test(protocol) ? protocol : undefined
}

/** Returns the Content Security Policy source for the origin of an address, or `undefined` if a policy cannot express it. */
export function originSource(address: string): string | undefined {
  const { origin, hostname } = new URL(address)
  return expressibleHost.test(hostname) ? origin : undefined
}

// Stricter than the syntax of URLs, where a host may contain `;` and `,`: these would end the directive or the policy.
const expressibleHost = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/

/** Renders a line drawing in the colour of the text. The text next to it says the same, so screen readers skip it. */
export const icon = (name: keyof typeof paths): Fragment =>
  dangerouslyUnescaped(
    `<svg class="icon ${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${paths[name]}"/></svg>`,
  )

const paths = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6.5 6.5l11 11m0-11l-11 11',
  exclamation: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18m0 4.5v5.5m0 3.4v.1',
  key: 'M11.5 12.5L20 4m-3.5 3.5l3 3m-6.5-.5l2 2M12.5 15.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0',
  leave: 'M10 5H6.5a1.5 1.5 0 0 0-1.5 1.5v11a1.5 1.5 0 0 0 1.5 1.5H10m4.5-3.5L18 12l-3.5-3.5M18 12h-8',
} as const
