import { createAdminServer } from '@mintmark/admin'
import { createConsole } from '@mintmark/console'
import { createCookieSessions } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })
const sessions = createCookieSessions({ storage })

export const admin = createAdminServer({
  issuer,
  storage,
  authorize: async (request) => {
    const signedIn = await sessions.signedIn(request)
    if (signedIn === undefined) return undefined
    const isAdministrator = signedIn.subject === 'ada' // ask your own user table
    return { actor: { kind: 'person', id: signedIn.subject }, scopes: isAdministrator ? ['admin:write'] : [] }
  },
})

/** Serves /console. */
export const adminConsole = createConsole({
  admin,
  signInUrl: (returnTo) => `/sign-in?return_to=${encodeURIComponent(returnTo)}`,
})
