interface FirstUser {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
}

/** Prints how to sign in as the sample user of users.ts. Your own table has users already, so nothing is created. */
export async function createFirstUser({ environment, print }: FirstUser): Promise<void> {
  print(`Sign in as      ann / ${environment['SAMPLE_PASSWORD'] ?? ''}, until users.ts reads your own table`)
}
