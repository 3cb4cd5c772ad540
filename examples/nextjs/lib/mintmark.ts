import { toFetch } from '@mintmark/adapter-fetch'
import { createAuthorizationServer, createStoredKeys, logEvents } from '@mintmark/core'
import { redirect } from '@mintmark/core/http'
import { consentPage, errorPage, logoutPage, readConsentForm } from '@mintmark/pages'
import { endSession, readSession } from './session'
import { openStorage } from './storage'

/** The path, /id, leaves all other addresses to your product. */
export const issuer = () => process.env['ISSUER_URL'] ?? 'http://localhost:3000/id'

/** Answers the requests of the authorization server. */
export async function mintmark(request: Request): Promise<Response> {
  const { handle } = await opened()
  return handle(request)
}

/** Signs the user of your session out of your product and of all clients. */
export async function signOut(): Promise<void> {
  const { server } = await opened()
  const session = await readSession()
  if (session) await server.endSession(session.sessionId)
  await endSession()
}

/** `next build` loads this file without the environment, so the first request creates the server. */
let opening: ReturnType<typeof open> | undefined

async function opened() {
  opening ??= open().catch((error: unknown) => {
    // The next request tries again.
    opening = undefined
    throw error
  })
  return opening
}

async function open() {
  const storage = await openStorage(issuer())
  const server = createAuthorizationServer({
    issuer: issuer(),
    storage,
    keys: createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' }),
    signedIn,
    logout: { endSession, renderPage: logoutPage },
    renderErrorPage: errorPage,
    onEvent: logEvents(console),
    pages: {
      // Your sign-in page authenticates the user and redirects the browser back here.
      async login(pending, { url }) {
        const user = url.searchParams.has('back') ? await signedIn() : undefined
        if (user) return pending.complete(user)
        const returnTo = `${url.pathname}?interaction=${url.searchParams.get('interaction')}&back`
        return redirect(`/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`)
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
  return { server, handle: toFetch(server) }
}

/** Returns the user of your session. */
async function signedIn() {
  const session = await readSession()
  return (
    session && {
      subject: session.userId,
      authTime: session.signedInAt,
      amr: ['pwd'],
      sessionId: session.sessionId,
    }
  )
}
