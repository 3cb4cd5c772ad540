import type { ServerResponse } from '@mintmark/core/http'
import { dangerouslyUnescaped, type Fragment, html, toMarkup } from './html.ts'
import type { LanguageChoice } from './languages/choose-language.ts'
import type { Messages } from './languages/messages.ts'
import type { PageScript } from './passkey-script.ts'
import { stylesheet, stylesheetHash } from './stylesheet.ts'

/** The branding of a product, checked and rendered by `createPages`. */
export interface Brand {
  readonly productName: string
  readonly header: Fragment
  readonly footer: Fragment | undefined
  /** CSS that replaces the colours, the font and the corners of the stylesheet. */
  readonly style: string | undefined
  /** CSS of the image behind the card. */
  readonly backdrop: string | undefined
  /** The link to the icon of the browser's tab. */
  readonly icon: Fragment | undefined
  /** The Content Security Policy sources of the images. */
  readonly imageSources: readonly string[]
  /** The Content Security Policy sources of the font. */
  readonly fontSources: readonly string[]
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
  /** `self`: the response to the form stays at this server. `leaves`: it may redirect to the client. */
  readonly formAction: keyof typeof formActions
  /** The addresses of the frames in the body. */
  readonly frames?: readonly string[]
  /** The addresses of the images in the body. */
  readonly images?: readonly string[]
  /** The address to which the page continues automatically. The body must have a link to it with the id `continue`. */
  readonly continueTo?: string | undefined
  readonly script?: PageScript | undefined
  /**
   * What surrounds the body of a page of many, such as navigation.
   * @defaultValue The body is on a card, below the header of the brand.
   */
  readonly surroundings?: Surroundings | undefined
  readonly body: Fragment
}

interface Surroundings {
  /** CSS after the stylesheet. */
  readonly style: string
  /** The hash of `style` for the policy (CSP 3 §2.3.1), such as `sha256-…`. */
  readonly styleHash: string
  /** Comes before the main part of the document, which has the id `main`. */
  readonly above: Fragment
}

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
  script = continueTo === undefined ? undefined : continueScript,
  surroundings,
  body,
}: Page): ServerResponse {
  const backdrop = surroundings === undefined ? brand?.backdrop : undefined
  const brandStyle = [brand?.style, backdrop].filter((part) => part !== undefined).join('\n')
  const nonce = brandStyle === '' ? undefined : createNonce()
  const document = html`<!doctype html>
<html lang="${messages.lang}" dir="${messages.dir}">
<head>
<meta charset="utf-8">
<title>${title}${brand && ` – ${brand.productName}`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${brand?.icon}
${continueTo && refreshWithoutScripts(continueTo)}
${style}
${surroundings && dangerouslyUnescaped(`<style>${surroundings.style}</style>`)}
${nonce && dangerouslyUnescaped(`<style nonce="${nonce}">${brandStyle}</style>`)}
</head>
<body>
${surroundings?.above}
<main id="main">
${surroundings === undefined ? brand?.header : undefined}
${body}
</main>
${brand?.footer}
${script?.element}
</body>
</html>
`
  return {
    status,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      [
        'Content-Security-Policy',
        contentSecurityPolicy({ formAction, frames, images, script, surroundings, brand }, nonce),
      ],
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
    script,
    surroundings,
    brand,
  }: Pick<Page, 'formAction' | 'frames' | 'images' | 'script' | 'surroundings' | 'brand'>,
  nonce: string | undefined,
): string {
  const imageSources = [
    ...new Set([...(brand?.imageSources ?? []), ...images.flatMap((url) => originSource(url) ?? [])]),
  ]
  const frameSources = [...new Set(frames.flatMap((frame) => originSource(frame) ?? []))]
  return [
    `default-src 'none'`,
    `style-src '${stylesheetHash}'${surroundings === undefined ? '' : ` '${surroundings.styleHash}'`}${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    ...(imageSources.length === 0 ? [] : [`img-src ${imageSources.join(' ')}`]),
    ...(brand === undefined || brand.fontSources.length === 0 ? [] : [`font-src ${brand.fontSources.join(' ')}`]),
    ...(frameSources.length === 0 ? [] : [`frame-src ${frameSources.join(' ')}`]),
    ...(script === undefined ? [] : [`script-src '${script.hash}'`]),
    ...formActions[formAction],
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

/**
 * Chrome applies `form-action` to every redirect that follows a POST, and after the client's callback these lead anywhere: to
 * the client's web host, through a broker, to a private-use scheme. A policy cannot list them, so a form whose response may
 * leave for the client has none. Every text on a page is escaped (`html`), and the pages run no scripts from elsewhere.
 */
const formActions = { none: ["form-action 'none'"], self: ["form-action 'self'"], leaves: [] } as const

/** For how many seconds a page waits for its frames to load. */
const continueAfter = 3

/** Only where scripts are turned off: together with the script, it would visit the client twice. */
function refreshWithoutScripts(address: string): Fragment {
  const refresh = toMarkup(html`<meta http-equiv="refresh" content="${continueAfter};url=${address}">`)
  return dangerouslyUnescaped(`<noscript>${refresh}</noscript>`)
}

/** Continues after the timeout even if a frame hangs, which delays the load event and the refresh of the document. */
const scriptText = `(function () {
  var link = document.getElementById('continue')
  function go() { location.replace(link.href) }
  addEventListener('load', go)
  setTimeout(go, ${continueAfter}000)
})()`

const continueScript: PageScript = {
  element: dangerouslyUnescaped(`<script>${scriptText}</script>`),
  hash: 'sha256-68UZviEhheCutKUhtELxKPPC72Ns/IK2ZougC8RLNI8=',
}

const style = dangerouslyUnescaped(`<style>${stylesheet}</style>`)

/** Returns the Content Security Policy source for the origin of an address, or `undefined` if a policy cannot express it. */
export function originSource(address: string): string | undefined {
  const { origin, hostname } = new URL(address)
  return expressibleHost.test(hostname) ? origin : undefined
}

// Stricter than the syntax of URLs, where a host may contain `;` and `,`: these would end the directive or the policy.
const expressibleHost = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

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
