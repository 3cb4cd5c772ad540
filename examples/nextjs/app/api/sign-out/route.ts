import { issuer, signOut } from '@/lib/mintmark'

/** Signs the user out: `<form method="post" action="/api/sign-out">`. */
export async function POST(request: Request) {
  // Another site must not sign the user out.
  if (request.headers.get('origin') !== new URL(issuer()).origin) return new Response('Forbidden.', { status: 403 })
  await signOut()
  return new Response(null, { status: 303, headers: { Location: '/' } })
}
