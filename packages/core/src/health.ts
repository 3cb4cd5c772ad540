import {
  aFunction,
  anObjectWith,
  checkOptions,
  createRouter,
  type HttpService,
  json,
  noStore,
  required,
  type ServerResponse,
} from '@mintmark/internal'

import type { AuthorizationServer } from './server.ts'

/** Options of `createHealth`. */
export interface HealthOptions {
  readonly server: CheckedServer
  /**
   * Receives the cause when the process stops being ready, once until it is ready again. Responses do not contain it.
   * @defaultValue Writes it to the console as an error. An outage then leaves a trace.
   */
  readonly onUnready?: (cause: unknown) => void
}

/** The members of an authorization server that the checks use. */
interface CheckedServer extends Pick<AuthorizationServer, 'ready' | 'origin'> {}

/**
 * Creates two paths at the root for load balancers and orchestrators, to be mounted like the server:
 * `toExpress(createHealth({ server }), server)`. `/health` responds with 200 as long as the process answers at all: if it does not, restart
 * the process. `/ready` responds with 200 if the process can issue tokens (`server.ready`), and with 503 otherwise: send
 * requests to other processes meanwhile. Restarting a process does not repair its database, so never restart it because of
 * `/ready`. Both paths are public, cost no query while the keys are cached, and reveal nothing but the state.
 */
export function createHealth(options: HealthOptions): HttpService {
  checkOptions('createHealth', options, { server: required(anObjectWith('ready')), onUnready: aFunction })
  const { server, onUnready = writeTo(console) } = options
  let wasReady = true

  const ready = async (): Promise<ServerResponse> => {
    try {
      await server.ready()
      wasReady = true
      return state(200, 'ready')
    } catch (error) {
      // Probes come every few seconds, and each would repeat the same cause.
      if (wasReady) onUnready(error)
      wasReady = false
      return state(503, 'unready')
    }
  }
  return createRouter({
    origin: server.origin,
    bodyLimit: 0,
    tooLarge: () => state(413, 'failed'),
    routes: [
      { path: '/health', methods: { GET: () => Promise.resolve(state(200, 'running')) }, renderError },
      { path: '/ready', methods: { GET: ready }, renderError },
    ],
    notFound: () => state(404, 'failed'),
    methodNotAllowed: () => state(405, 'failed'),
  })
}

const state = (status: number, name: string): ServerResponse => json(status, { state: name }, noStore)

const writeTo =
  (log: Pick<Console, 'error'>) =>
  (cause: unknown): void =>
    log.error('Mintmark is not ready to issue tokens:', cause)

const renderError = (): Promise<ServerResponse> => Promise.resolve(state(500, 'failed'))
