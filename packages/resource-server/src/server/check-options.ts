import type { ResourceServerOptions } from './resource-server-options.ts'

/** @throws TypeError that names the option and says what to change. */
export function checkOptions(options: ResourceServerOptions): void {
  const { issuer, audience, credentials, introspection, revocationFeed, clockSkew = 0 } = options
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined) throw new TypeError(`Invalid options: ${unknown} is no option.`)
  checkIssuer(issuer)
  // RFC 8707 §2: an absolute URI without fragment.
  if (!URL.canParse(audience) || /[#\s"]/.test(audience))
    throw new TypeError('Invalid options: audience must be an absolute URI without fragment.')
  if ((introspection ?? revocationFeed) !== undefined && credentials === undefined) {
    throw new TypeError(
      'Invalid options: introspection and revocationFeed need credentials, of a client registered with servedAudiences.',
    )
  }
  checkNumber('clockSkew', clockSkew, [0, 60])
  checkNumber('introspection.cacheFor', introspection?.cacheFor ?? 0, [0, 60])
  checkNumber('revocationFeed.toleratedSilence', revocationFeed?.toleratedSilence ?? 1, [1, 300])
  const mode = revocationFeed?.mode ?? 'follow'
  if (mode !== 'follow' && mode !== 'on_demand')
    throw new TypeError('Invalid options: revocationFeed.mode must be on_demand or follow.')
}

/** RFC 8414 §2: https, without query and fragment; tokens are compared with it byte for byte. Plain http is for loopback. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isLoopback = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback)) {
    throw new TypeError('Invalid options: issuer must be an https address, as the authorization server has it.')
  }
  const canonical = url.origin + url.pathname.replace(/\/+$/, '')
  if (issuer !== canonical) throw new TypeError(`Invalid options: write the issuer as ${canonical}`)
}

function checkNumber(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (!(value >= least && value <= most))
    throw new TypeError(`Invalid options: ${name} must be ${least} to ${most} seconds.`)
}

/** A misspelled name would leave a default in force without a word. */
const optionNames: readonly string[] = [
  'audience',
  'clock',
  'clockSkew',
  'credentials',
  'documentation',
  'fetch',
  'introspection',
  'issuer',
  'name',
  'onRefusal',
  'random',
  'revocationFeed',
  'scopes',
] satisfies readonly (keyof ResourceServerOptions)[]
