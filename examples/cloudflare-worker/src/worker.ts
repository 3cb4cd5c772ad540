import { toFetch } from '@mintmark/adapter-fetch'
import {
  type AuthorizationServer,
  createCookieSessions,
  createAuthorizationServer,
  logEvents,
  registerClient,
  createStoredKeys,
  limitSignIns,
} from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { consentPage, errorPage, logoutPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { clientId, epochSeconds, userId, type OAuthStorage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toDurableObjectDialect } from '@mintmark/storage-sql/durable-object'
import type { DurableObjectNamespace, DurableObjectState } from './durable-object.ts'

interface Environment {
  readonly ISSUER_URL: string
  /** 32 random bytes in base64url: a secret of the Worker. */
  readonly SEALING_KEY: string
  /** The address of the client application, such as `http://localhost:4000`. */
  readonly APP_URL: string
  readonly MINTMARK: DurableObjectNamespace
}

/** Sends all requests to one object, so that each request sees which codes and tokens were used. */
const worker = {
  fetch: (request: Request, { MINTMARK, ISSUER_URL }: Environment): Promise<Response> =>
    MINTMARK.getByName(ISSUER_URL).fetch(request),
}

export default worker

// Workers requires that a Durable Object is a class.
export class Mintmark {
  readonly #state: DurableObjectState
  readonly #server: Promise<AuthorizationServer>
  readonly #handle: Promise<(request: Request) => Promise<Response>>

  constructor(state: DurableObjectState, environment: Environment) {
    this.#state = state
    this.#server = state.blockConcurrencyWhile(() => openServer(state, environment))
    this.#handle = this.#server.then((server) => toFetch(server))
  }

  async fetch(request: Request): Promise<Response> {
    if ((await this.#state.storage.getAlarm()) === null) await this.#setAlarm()
    return (await this.#handle)(request)
  }

  /**
   * Sends the logout tokens that are due, such as those that a client could not receive before. Workers calls it, even
   * when the object has no requests.
   */
  async alarm(): Promise<void> {
    try {
      let more = true
      while (more) more = (await (await this.#server).deliverOnce({ limit: 100, deadline: 20_000 })).more
    } finally {
      await this.#setAlarm()
    }
  }

  #setAlarm(): Promise<void> {
    return this.#state.storage.setAlarm(Date.now() + 30_000)
  }
}

async function openServer(state: DurableObjectState, environment: Environment): Promise<AuthorizationServer> {
  const issuer = environment.ISSUER_URL
  const storage = await createSqlStorage({ issuer, dialect: toDurableObjectDialect(state.storage) })
  await registerOnce(storage, environment)
  const sessions = createCookieSessions({ storage })
  const attempts = limitSignIns({ onEvent: logEvents(console) })

  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: environment.SEALING_KEY }),
    signedIn: sessions.signedIn,
    logout: { endSession: sessions.end, renderPage: logoutPage },
    renderErrorPage: errorPage,
    onEvent: logEvents(console),
    dangerouslyAllowOutbound: onThisMachine(environment),
    pages: {
      async login(pending, request) {
        const attempt = readSignInForm(request)
        if (attempt === undefined) return signInPage(pending)
        const address = request.headers.get('cf-connecting-ip')
        const { allowed, report } = await attempts({ account: attempt.username, address })
        // A placeholder for your user table.
        const isAnn = allowed && attempt.username === 'ann' && attempt.password === 'example'
        await report(isAnn ? 'succeeded' : 'failed')
        if (!isAnn) return signInPage({ ...pending, error: allowed ? 'rejected' : 'throttled' })
        const { signedIn, headers } = await sessions.start(request, { subject: 'user-1', amr: ['pwd'] })
        return withHeaders(await pending.complete(signedIn), headers)
      },
      async consent(pending, request) {
        if (request.method !== 'POST') return consentPage(pending)
        const { decision, grantedScopes, organization } = readConsentForm(request)
        return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
      },
    },
  })
  // Throws if another sealing key sealed the stored keys.
  await server.ready()
  return server
}

/** During development, logout tokens may go to an application on the same machine. */
const onThisMachine = ({ APP_URL }: Environment): readonly string[] =>
  new URL(APP_URL).hostname === 'localhost' ? [new URL(APP_URL).origin] : []

/** Creates a user and a client when the object is new. The secret is logged once and cannot be shown again. */
async function registerOnce(storage: OAuthStorage, environment: Environment): Promise<void> {
  if ((await storage.clients.find(clientId('my-app'))) !== undefined) return

  const claims = {
    name: 'Ann Lee',
    given_name: 'Ann',
    family_name: 'Lee',
    email: 'ann@example.com',
    email_verified: true,
  }
  await storage.users.insert({ userId: userId('user-1'), claims, createdAt: epochSeconds(Date.now() / 1000) })
  const { clientSecret } = await registerClient(
    {
      clientId: 'my-app',
      clientName: 'My app',
      redirectUris: [`${environment.APP_URL}/callback`],
      postLogoutRedirectUris: [`${environment.APP_URL}/`],
      backchannelLogoutUri: `${environment.APP_URL}/backchannel-logout`,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
    },
    { storage, dangerouslyAllowOutbound: onThisMachine(environment) },
  )
  console.log('client_id my-app, client_secret', clientSecret)
}
