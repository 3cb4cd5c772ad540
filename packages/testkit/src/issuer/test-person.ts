import type { InteractionPage, SignedIn } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

/** The header that says who is at the browser. */
export const userHeader = 'x-test-person'

/** The session of whoever the request names. */
export const signedInUser =
  (now: () => EpochSeconds) =>
  async (request: ServerRequest): Promise<SignedIn | undefined> =>
    personOf(request, now)

/** A page that lets everybody in, and consents to all that is asked. */
export const waveThrough =
  (now: () => EpochSeconds): InteractionPage =>
  async (pending, request) => {
    const person = personOf(request, now)
    if (person === undefined) return pending.deny()
    return pending.complete({ ...person, grantedScopes: pending.scopes.map(({ name }) => name) })
  }

function personOf(request: ServerRequest, now: () => EpochSeconds): SignedIn | undefined {
  const subject = request.headers.get(userHeader)
  return subject === undefined ? undefined : { subject, authTime: now(), amr: ['test'] }
}
