import type { SignedIn } from '@mintmark/core'
import type { ServerResponse } from '@mintmark/core/http'

interface HomePage {
  /** The path of the issuer. */
  readonly base: string
  readonly signedIn: SignedIn | undefined
  /** Whether users have passkeys. */
  readonly passkeys: boolean
}

/** The page at `/`: replace it with your own. */
export const homePage = ({ base, signedIn, passkeys }: HomePage): ServerResponse => ({
  status: 200,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Cache-Control', 'no-store'],
  ],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>My server</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>It works</h1>
<p>${signedIn === undefined ? `You are not signed in here. <a href="${base}/sign-in">Sign in</a>` : `You are signed in here. ${passkeys ? `<a href="${base}/passkeys">Your passkeys</a>` : ''}`}</p>
<ul>
<li><a href="${base}/try">Sign in to a client</a>, and see the tokens that it gets</li>
<li><a href="${base}/.well-known/openid-configuration">The metadata</a>, with which clients configure themselves</li>
</ul>
<p>The page is in <code>home-page.ts</code>. Replace it with your own.</p>
</html>
`,
})
