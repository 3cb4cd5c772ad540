import { type Fragment, html } from './html.ts'

/**
 * A name that somebody else chose, as it is shown: on one line, at most 80 characters unless given, and in `<bdi>`, so that a
 * right-to-left name, or an override character in it, cannot rearrange the sentence around it.
 */
export function shownName(name: string, whenBlank: string, atMost = longest): Fragment {
  return html`<bdi class="name">${shorten(name, atMost) || whenBlank}</bdi>`
}

/** The first letter or digit, for a tile beside the name. */
export function initial(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()
}

function shorten(name: string, atMost: number): string {
  const visible = name.replace(controlsAndSpaces, ' ').trim()
  const characters = Array.from(visible)
  return characters.length <= atMost ? visible : `${characters.slice(0, atMost - 1).join('')}…`
}

// Controls, all kinds of space and line break, and fillers that show nothing; joiners and marks of direction stay.
const controlsAndSpaces = /[\p{Cc}\s\u00AD\u115F\u1160\u2060-\u2064\u3164\uFEFF]+/gu
const longest = 80

/** Where a choice leads, for a person to judge: the one thing on the page that the client could not make up. */
export interface RedirectDestination {
  /** A website, a program listening on this device (RFC 8252 §7.3), or an app that owns a scheme (§7.1). */
  readonly kind: 'website' | 'device' | 'app'
  /** Host and port as the browser will use them, an international name in its ASCII form; or the app's scheme. */
  readonly name: string
}

/** @param redirectUri as proven against the client's registration. */
export function redirectDestination(redirectUri: string): RedirectDestination {
  if (!URL.canParse(redirectUri)) return { kind: 'app', name: redirectUri }
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'app', name: protocol.slice(0, -1) }
  return { kind: isLoopback(hostname) ? 'device' : 'website', name: host }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
