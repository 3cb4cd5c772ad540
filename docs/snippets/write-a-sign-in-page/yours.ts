/** Verifies a password, as your product does. */
export declare function findUser(attempt: { username: string; password: string }): Promise<{ id: string } | undefined>

/** Returns where the customer who owns the domain of this address signs users in. */
export declare function ssoAddressOf(username: string): string | undefined
