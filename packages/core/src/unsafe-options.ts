import type { OAuthStorage } from '@mintmark/storage-interface'

import type { ServerDependencies } from './dependencies.ts'
import type { ServerOccurrence } from './events.ts'
import type { ServerSettings } from './settings.ts'

/** Returns an event for each option that weakens the server. They are reported when the server starts. */
export function unsafeOptions(settings: ServerSettings, storage: OAuthStorage): readonly ServerOccurrence[] {
  const events: ServerOccurrence[] = []
  if (storage.isVolatile === true && isInProduction()) {
    const advice =
      'The storage is in memory: a restart signs everybody out, and with a second process half of the sign-ins never end. Use createSqlStorage.'
    events.push({ type: 'option.unsafe', option: 'storage', advice })
  }
  if (settings.issuerUrl.protocol === 'http:') {
    events.push({
      type: 'option.unsafe',
      option: 'issuer',
      advice: 'Plain http: for development on this machine only.',
    })
  }
  if (settings.lifetimes.accessToken > maxAccessTokenLifetime) {
    const advice =
      'Access tokens live for more than an hour: an API that verifies them itself accepts a revoked one for that long.'
    events.push({ type: 'option.unsafe', option: 'lifetimes.accessToken', advice })
  }
  if (settings.allowedOrigins.length > 0) {
    const advice = 'Clients can make the server send requests to these origins: for development and test suites only.'
    events.push({ type: 'option.unsafe', option: 'dangerouslyAllowOutbound', advice })
  }
  return events
}

/**
 * Reports an issuer with which no server has used the database before, if servers of other issuers have: after a typing
 * error every record is there and none is found, and each sign-in fails as if it were the client's fault. Several issuers
 * can share a database, so this is no error, and a day after the first start it is no news. It runs once in a process.
 */
export function newIssuerReport({ storage, clock, journal }: ReportDependencies): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone) return
    isDone = true
    const { signingKeys } = storage
    try {
      const others = (await signingKeys.otherIssuers?.()) ?? []
      const [first] = others.length === 0 ? [] : await signingKeys.list()
      if (first === undefined || first.createdAt <= clock() - secondsOfNews) return
      const advice = `${storage.issuer} is new in this database, which has keys of ${others.join(', ')}. Clients, users and sessions of another issuer are not found. If the issuer changed by mistake, restore it; if both share the database, ignore this.`
      journal.recordWithoutRequest({ type: 'option.unsafe', option: 'issuer', advice })
    } catch (error) {
      isDone = false
      throw error
    }
  }
}

interface ReportDependencies extends Pick<ServerDependencies, 'clock' | 'journal'> {
  readonly storage: OAuthStorage
}

const secondsOfNews = 86_400

/**
 * Whether the environment says that this is production, or one of several processes: a worker of Node's cluster module or
 * a process of PM2. A process cannot see others that were started in another way.
 */
function isInProduction(): boolean {
  const { process } = globalThis as { readonly process?: HostProcess }
  const { NODE_ENV, NODE_APP_INSTANCE } = process?.env ?? {}
  if (NODE_ENV === 'production' || NODE_APP_INSTANCE !== undefined) return true
  return process?.getBuiltinModule?.('node:cluster')?.isWorker === true
}

/** The members of Node's `process` that are read; other runtimes may lack them. */
interface HostProcess {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly getBuiltinModule?: (name: 'node:cluster') => { readonly isWorker: boolean } | undefined
}

/** In seconds. */
const maxAccessTokenLifetime = 3600
