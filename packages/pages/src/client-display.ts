import { cleanName } from '@mintmark/internal'
import { type Fragment, html, image } from './html.ts'

/**
 * Renders a name that somebody else chose: on one line, shortened to `maxLength` characters, and in `<bdi>`, so that a
 * right-to-left name cannot rearrange the sentence around it.
 */
export function renderName(name: string, whenBlank: string, maxLength = defaultMaxLength): Fragment {
  return html`<bdi class="name">${shorten(name, maxLength) || whenBlank}</bdi>`
}

/** Renders another text that somebody else chose, complete, in the same way. */
export const renderText = (text: string): Fragment => html`<bdi class="name">${cleanName(text)}</bdi>`

/** A client, as pages show it. */
export interface ShownClient {
  readonly clientName: string
  /** Identifies a client whose name nobody has verified. */
  readonly unverifiedHost?: string | undefined
}

/**
 * Renders a client within a sentence. If nobody has verified its name, its host is first: a client that registers itself
 * can choose any name (RFC 7591 §5), and its users might enter a password because of it.
 */
export function renderClient({ clientName, unverifiedHost }: ShownClient, whenBlank: string): Fragment {
  if (unverifiedHost === undefined) return renderName(clientName, whenBlank)
  return html`<bdi class="name">${unverifiedHost}</bdi> (${renderName(clientName, whenBlank, 40)})`
}

/** Returns the first letter or digit of a name, for a tile next to it. */
export function initial(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()
}

/** A client with its logo. */
export interface ClientWithLogo extends ShownClient {
  /** The address of the logo at the server. The page allows images only from there: pass it to `page` too. */
  readonly logoUrl?: string | undefined
}

/** Returns the logo that a page may show: an unverified client could have the logo of another client (RFC 7591 §5). */
export const shownLogo = ({ unverifiedHost, logoUrl }: ClientWithLogo): string | undefined =>
  unverifiedHost === undefined ? logoUrl : undefined

/** Renders the logo of a client, or the first letter of its name, which browsers also show if the logo cannot be loaded. */
export function clientTile(client: ClientWithLogo): Fragment | undefined {
  const letter = initial(client.unverifiedHost ?? client.clientName)
  const logo = shownLogo(client)
  if (logo === undefined) {
    return letter === undefined ? undefined : html`<span class="tile" aria-hidden="true">${letter}</span>`
  }
  const picture = image({ source: logo, darkSource: undefined, alternative: letter ?? '' })
  return html`<span class="tile" aria-hidden="true">${picture}</span>`
}

function shorten(name: string, maxLength: number): string {
  const visible = cleanName(name).replace(controlsAndSpaces, ' ').trim()
  // Of the many invisible characters, a list would always lack some.
  if (!/[\p{L}\p{N}]/u.test(visible)) return ''
  const characters = Array.from(visible)
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join('')}…`
}

// Control characters, all kinds of spaces, and invisible fillers.
const controlsAndSpaces = /[\p{Cc}\s\u115F\u1160\u3164]+/gu
const defaultMaxLength = 80

/** Where a decision leads. The user can rely on it: it is the only thing on the page that the client cannot invent. */
export interface RedirectDestination {
  /** A website, a program that listens on this device (RFC 8252 §7.3), or an app that owns a URI scheme (§7.1). */
  readonly kind: 'website' | 'device' | 'app'
  /** Host and port as the browser uses them, with an international host in ASCII; or the app's URI scheme. */
  readonly name: string
}

/** @param redirectUri a redirect URI that the client has registered. */
export function redirectDestination(redirectUri: string): RedirectDestination {
  if (!URL.canParse(redirectUri)) return { kind: 'app', name: redirectUri }
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'app', name: protocol.slice(0, -1) }
  return { kind: isLoopback(hostname) ? 'device' : 'website', name: host }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
