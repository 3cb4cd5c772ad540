/**
 * The CSP source that lets a form's answer redirect to the client: Chrome applies `form-action` to the whole chain of
 * redirects that a POST sets off, so the validated redirect URI has to be in it, and no more than its origin.
 * `undefined` when the URI has no scheme that a browser may be sent to.
 *
 * The chain does not end at the client: when its callback redirects on to another origin at once, Chrome blocks that
 * hop. Such a client needs its callback on the origin where it goes on.
 * @param redirectUri as proven against the client's registration.
 */
export function formActionSource(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined
  const { protocol, hostname, host, port } = new URL(redirectUri)

  if (protocol === 'https:' || protocol === 'http:') {
    if (expressibleHost.test(hostname)) return `${protocol}//${host}`
    // CSP 3 §2.3.1 has no way to write an IPv6 address, and Chrome ignores `http://[::1]:5000`. The narrowest source
    // that admits it is any host on that very scheme and port. The redirect itself stays the server's to decide.
    return `${protocol}//*${port === '' ? '' : `:${port}`}`
  }
  // RFC 8252 §7.1: an app's own scheme is a reversed domain name. Others (`javascript:`, `data:`) are nobody's app.
  return privateUseScheme.test(protocol) ? protocol : undefined
}

// Narrower than what a URL may hold: `;` and `,` are allowed in a host, and would end the directive or the policy.
const expressibleHost = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/
