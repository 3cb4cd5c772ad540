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
