import { requireSameOrigin } from '@mintmark/core'
import type { RequestHead } from '@mintmark/core/http'
import { createJournal, type Journal, randomIdentifier, systemClock, systemRandom } from '@mintmark/internal'

import { type ConsoleError, type ConsoleEvent, type ConsoleOccurrence, refuse } from './refusals.ts'

/**
 * Creates the journal of a service of this package.
 * @param service its name in messages about internal failures, which are printed if the host has no listener.
 */
export const openJournal = (
  service: string,
  onEvent: (event: ConsoleEvent) => void | Promise<void> = reportFailures(service, console),
): Journal<ConsoleOccurrence> =>
  createJournal<ConsoleOccurrence, number>(onEvent, {
    clock: systemClock,
    newIdentifier: () => randomIdentifier(systemRandom),
  })

const reportFailures =
  (service: string, console: Pick<Console, 'error'>) =>
  ({ reason, cause }: ConsoleEvent): void => {
    if (cause !== undefined) console.error(`Mintmark ${service}: ${reason}`, cause)
  }

/** RFC 9700 §4.7: only a form of the service itself may change something. */
export function requireOwnPage(request: RequestHead): void {
  if (request.method === 'HEAD') return
  try {
    requireSameOrigin(request)
  } catch (cause) {
    throw refuse('cross_site', { cause })
  }
}

/** Returns what happened when a request was refused. */
export const refusedRequest = (
  { status, reason, cause }: ConsoleError,
  { method, path }: { readonly method: string; readonly path: string },
): ConsoleOccurrence => ({
  type: 'request.refused',
  method,
  path,
  status,
  reason,
  cause: status >= 500 ? cause : undefined,
})

/** Returns the texts in the chosen languages, or else in all, with the first that visitors get who prefer none of them. */
export function textsIn<Language extends string, Texts>(
  languages: readonly Language[] | undefined,
  catalogues: Readonly<Record<Language, Texts>>,
  english: Texts,
): readonly [Texts, ...(readonly Texts[])] {
  const [first = english, ...others] =
    languages?.map((language) => catalogues[language]) ?? Object.values<Texts>(catalogues)
  return [first, ...others]
}
