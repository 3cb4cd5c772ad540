/** The issuer of every target. */
export const issuer = 'https://as.test'

/** The user of every target. */
export const fixtureUser = { userId: 'person', email: 'ann@example.test' } as const

export const redirectUri = 'https://app.test/cb'
