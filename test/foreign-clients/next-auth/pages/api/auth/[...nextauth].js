import NextAuth from 'next-auth'

// A custom provider as the documentation of next-auth shows it.
export default NextAuth({
  providers: [
    {
      id: 'mintmark',
      name: 'Mintmark',
      type: 'oauth',
      wellKnown: `${process.env.ISSUER}/.well-known/openid-configuration`,
      authorization: { params: { scope: 'openid email profile' } },
      idToken: true,
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  ],
  callbacks: { session: ({ session, token }) => ({ ...session, subject: token.sub }) },
})
