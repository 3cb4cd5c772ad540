/** The page at `/`: replace it with your own. */
export default function Home() {
  return (
    <main>
      <h1>It works</h1>
      <ul>
        <li>
          <a href="/id/try">Sign in to a client</a>, and see the tokens that it gets
        </li>
        <li>
          <a href="/id/.well-known/openid-configuration">The metadata</a>, with which clients configure themselves
        </li>
      </ul>
    </main>
  )
}
