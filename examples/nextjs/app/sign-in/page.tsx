import { Suspense } from 'react'

type Query = Promise<Record<string, string | string[] | undefined>>

/** Your sign-in page. It asks even a user who is signed in, because a client may require a fresh sign-in. */
export default function SignIn({ searchParams }: { searchParams: Query }) {
  return (
    <main>
      <h1>Sign in</h1>
      {/* Next.js builds the page without the query, and sends the form when it has read it. */}
      <Suspense>
        <Form query={searchParams} />
      </Suspense>
    </main>
  )
}

async function Form({ query }: { query: Query }) {
  const { return_to: returnTo = '/', failed } = await query
  return (
    <form method="post" action="/api/sign-in">
      {failed !== undefined && <p role="alert">The e-mail address or the password is wrong.</p>}
      <input type="hidden" name="return_to" value={returnTo} />
      <label>
        E-mail <input name="email" type="email" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button>Sign in</button>
    </form>
  )
}
