import { limitSignIns, localPath, logEvents } from '@mintmark/core'
import { issuer } from '@/lib/mintmark'
import { startSession } from '@/lib/session'
import { findUser } from '@/lib/users'

const attempts = limitSignIns({ onEvent: logEvents(console) })

/**
 * Signs the user in. This is a route handler and not a Server Action, because Next.js follows the redirect of a Server
 * Action on the server, and the authorization server refuses requests that do not come from a browser window.
 */
export async function POST(request: Request) {
  // Another site must not sign the browser in as another user (RFC 9700 §4.7).
  if (request.headers.get('origin') !== new URL(issuer()).origin) return new Response('Forbidden.', { status: 403 })
  const form = await request.formData()
  const returnTo = localPath(form.get('return_to'))
  const email = form.get('email')
  const { allowed, report } = await attempts({ account: typeof email === 'string' ? email : '' })
  if (!allowed) return new Response('Too many attempts. Try again in five minutes.', { status: 429 })
  const user = findUser(email, form.get('password'))
  await report(user ? 'succeeded' : 'failed')
  if (user) await startSession(user.id)
  const failed = `/sign-in?${new URLSearchParams({ return_to: returnTo, failed: '' }).toString()}`
  return new Response(null, { status: 303, headers: { Location: user ? returnTo : failed } })
}
