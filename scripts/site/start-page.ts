/** What the start page shows above the text of `docs/index.md`, in the form of VitePress's home layout. */
export const startPage = {
  layout: 'home',
  hero: {
    name: 'Mintmark',
    text: 'An authorization server inside your own',
    tagline:
      'OAuth 2.0, OpenID Connect and inbound SCIM 2.0, as a TypeScript library. You keep accounts, login page, database and HTTP.',
    actions: [
      { theme: 'brand', text: 'In ten minutes', link: '/tutorial/authorization-server' },
      { theme: 'alt', text: 'Every option', link: '/reference/options' },
      { theme: 'alt', text: 'What stops which attack', link: '/explanation/attacks' },
    ],
  },
}
