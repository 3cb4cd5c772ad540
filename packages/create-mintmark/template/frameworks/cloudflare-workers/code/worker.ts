import { toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import { createSqlStorage } from '@mintmark/storage-sql'
import { epochSeconds, type ScimStorage } from '@mintmark/storage-interface'

import { createSite } from '#create-site'
import type { DurableObjectState } from '#durable-object'
import { logger } from '#logger'
import { openObjectDatabase } from '#object-database'
import { settingsOf, type Environment } from '#worker-settings'
import { createSetUp } from '#setup-endpoint'
import { basePath, type Site } from '#site'
import { openUsers } from '#users'

/** Sends all requests to one object, so that each request sees which codes and tokens were used. */
const worker = {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const { issuer } = settingsOf(environment)
    if (issuer !== '') return environment.MINTMARK.getByName(issuer).fetch(request)
    console.error('Set MINTMARK_ISSUER in wrangler.jsonc to the URL of this Worker, and deploy it again.')
    return new Response('The server is not set up.\n', { status: 503 })
  },
}

export default worker

/** The server and its database. Workers requires that it is a class. */
export class Mintmark {
  readonly #state: DurableObjectState
  readonly #server: Promise<Server>

  constructor(state: DurableObjectState, environment: Environment) {
    this.#state = state
    // The object applies pending migrations before it answers.
    this.#server = state.blockConcurrencyWhile(() => openServer(state, environment))
  }

  async fetch(request: Request): Promise<Response> {
    if ((await this.#state.storage.getAlarm()) === null) await this.#setAlarm()
    const { handle } = await this.#server
    return handle(request)
  }

  /**
   * Sends the messages to clients that are due, such as those that a client could not receive before, and removes expired
   * rows. Workers calls it, even when no requests come.
   */
  async alarm(): Promise<void> {
    try {
      const { site, storage } = await this.#server
      let isDelivered = false
      while (!isDelivered) isDelivered = !(await site.server.deliverOnce({ limit: 100, deadline: 20_000 })).more
      let isPurged = false
      while (!isPurged) isPurged = (await storage.purge.purgeExpired({ now: now(), limit: 500 })).done
    } finally {
      await this.#setAlarm()
    }
  }

  #setAlarm(): Promise<void> {
    return this.#state.storage.setAlarm(Date.now() + millisecondsBetweenAlarms)
  }
}

const millisecondsBetweenAlarms = 30_000

const now = () => epochSeconds(Date.now() / 1000)

interface Server {
  readonly site: Site
  readonly storage: ScimStorage
  readonly handle: (request: Request) => Promise<Response>
}

async function openServer(state: DurableObjectState, variables: Environment): Promise<Server> {
  const { setupKey, environment, ...settings } = settingsOf(variables)
  const { issuer } = settings
  const { dialect, tables } = openObjectDatabase(state)
  const storage = await createSqlStorage({ issuer, dialect })
  const sources = { tables, environment }
  const users = await openUsers(sources)
  // A Worker cannot send a request to its own address.
  const site = await createSite({
    ...settings,
    storage,
    users,
    logger,
    fetch: (url, init) => handle(new Request(url, init)),
  })
  const setUp = createSetUp({ issuer, key: setupKey, storage, users, ...sources })
  const handle = handlerOf({ ...site, pages: { ...site.pages, [`${basePath(issuer)}/setup`]: setUp } })
  return { site, storage, handle }
}

function handlerOf({ server, health, services, pages }: Site): Server['handle'] {
  const answer = toFetchHandler(health, ...services)
  const endpoints = new Map(Object.entries(pages).map(([path, page]) => [path, toFetchEndpoint(server, page)]))
  return async (request) => {
    // Cloudflare sets the header to the browser's IP address, whatever the browser sent.
    Object.assign(request, { ip: request.headers.get('cf-connecting-ip') ?? undefined })
    return (
      (await answer(request)) ??
      (await endpoints.get(new URL(request.url).pathname)?.(request)) ??
      new Response('Not found.\n', { status: 404 })
    )
  }
}
