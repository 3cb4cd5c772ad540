/** The address that every target believes to have. */
export const issuer = 'https://as.test'

/** The person of every target, and where its client wants to be answered. */
export const person = { userId: 'person', email: 'ann@example.test' } as const

export const redirectUri = 'https://app.test/cb'
