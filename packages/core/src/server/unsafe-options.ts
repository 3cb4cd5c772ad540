import type { ServerOccurrence } from '../event/server-event.ts'
import type { ServerSettings } from './settings.ts'

/** The options in force that weaken the server, so that each of them names itself when the server starts. */
export function unsafeOptions(settings: ServerSettings): readonly ServerOccurrence[] {
  const found: ServerOccurrence[] = []
  if (settings.issuerUrl.protocol === 'http:') {
    found.push({ type: 'option.unsafe', option: 'issuer', advice: 'Plain http: for development on this machine only.' })
  }
  for (const clientId of settings.dangerouslyAllowMissingPkceFor) {
    const advice = `The client ${clientId} may do without PKCE: whoever sees its codes can slip them into another browser.`
    found.push({ type: 'option.unsafe', option: 'dangerouslyAllowMissingPkceFor', advice })
  }
  if (settings.lifetimes.accessToken > maxAccessTokenLifetime) {
    const advice =
      'Access tokens live for more than an hour: an API that reads them by itself honours a revoked one for so long.'
    found.push({ type: 'option.unsafe', option: 'lifetimes.accessToken', advice })
  }
  return found
}

/** In seconds. */
const maxAccessTokenLifetime = 3600
