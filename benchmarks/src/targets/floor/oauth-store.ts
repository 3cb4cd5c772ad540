import { andThen } from '../later.ts'
import { digest } from './digest.ts'
import { prepareRecorded, type Values } from './prepare-recorded.ts'
import type { FloorCode, FloorSession, FloorStatus, FloorStore, FloorUser } from './floor-store.ts'
import { oauthStatements, type RecordedOauth } from './oauth-statements.ts'
import type { RecordedStatement } from './recorded-statements.ts'
import { recordedTable, sampleOf } from './recorded-table.ts'
import type { SqlConnection, SqlValue } from './sql-connection.ts'

/**
 * Creates a store on Mintmark's tables, which runs the statements that Mintmark runs for the same requests. One user
 * has signed in and consented; codes and families contain the recorded values of this user.
 */
export async function oauthStore(recorded: RecordedOauth, connection: SqlConnection): Promise<FloorStore> {
  const statements = await oauthStatements(recorded)
  const prepare = <Name extends string>(statement: RecordedStatement, samples: Readonly<Record<Name, SqlValue>>) =>
    prepareRecorded(statement, samples, connection)
  const code = samplesOf(statements.consumeCode, 'mintmark_codes')
  const family = samplesOf(statements.rotate, 'mintmark_families')

  const client = prepare(statements.client, { clientId: code.text('client_id') })
  const session = prepare(statements.session, { digest: statements.sessionDigest })
  const user = prepare(statements.user, { userId: code.text('user_id') })
  const consent = prepare(statements.consent, { userId: code.text('user_id'), clientId: code.text('client_id') })
  const joined = {
    sessionId: sampleOf(statements.session, 'session', 'session_id'),
    clientId: code.text('client_id'),
    now: code.time('issued_at'),
  }
  const join = statements.join.map((statement) => prepare(statement, presentIn(statement, joined)))
  const insertCode = prepare(statements.insertCode, {
    digest: code.text('digest'),
    grantId: code.text('grant_id'),
    familyId: code.text('family_id'),
    redirectUri: code.text('redirect_uri'),
    challenge: code.text('code_challenge'),
    nonce: code.text('nonce'),
    issuedAt: code.time('issued_at'),
    expiresAt: code.time('expires_at'),
  })
  const consumeCode = prepare(statements.consumeCode, { digest: code.text('digest'), now: code.time('consumed_at') })
  const grantStatus = prepare(statements.grantStatus, { grantId: code.text('grant_id') })
  const insertFamily = prepare(statements.insertFamily, {
    familyId: family.text('family_id'),
    grantId: family.text('grant_id'),
    handleDigest: family.text('handle_digest'),
    currentDigest: family.text('previous_digest'),
    createdAt: family.time('created_at'),
    refreshExpiresAt: family.time('created_at') + unusedLifetime,
    expiresAt: family.time('expires_at'),
  })
  const familyByHandle = prepare(statements.familyByHandle, { handleDigest: family.text('handle_digest') })
  const familyOfToken = prepare(statements.familyOfToken, {
    familyId: family.text('family_id'),
    tokenDigest: statements.tokenDigest,
  })
  const rotate = prepare(statements.rotate, {
    handleDigest: family.text('handle_digest'),
    currentDigest: family.text('previous_digest'),
    successorDigest: family.text('current_digest'),
    now: family.time('rotated_at'),
    refreshExpiresAt: family.time('refresh_expires_at'),
  })

  const readSecret = secretReader(statements.client)
  const readSession = sessionReader(statements.session)
  const readGrant = grantReader(statements.consent, 'mintmark_grants')
  const readUser = userReader(statements.user, 'mintmark_users')
  const readCode = codeReader(statements.consumeCode)
  const readByGrant = statusReader(statements.grantStatus)
  const readByHandle = statusReader(statements.familyByHandle)
  const readByToken = statusReader(statements.familyOfToken)

  return {
    clientSecret: (clientId) => andThen(client({ clientId }), ([row]) => row && readSecret(row)),
    session: (sessionDigest) => andThen(session({ digest: sessionDigest }), ([row]) => row && readSession(row)),
    user: (userId) => andThen(user({ userId }), ([row]) => row && readUser(row)),
    consent: (userId, clientId) => andThen(consent({ userId, clientId }), ([row]) => row && readGrant(row)),
    // The connection runs statements that begin together in one transaction.
    join: async ({ sessionId }, clientId) => {
      const values = { sessionId, clientId, now: seconds() }
      await Promise.all(join.map(async (run) => run(values)))
    },
    insertCode: (codeDigest, { expiresAt, ...inserted }) =>
      andThen(insertCode({ ...inserted, digest: codeDigest, issuedAt: expiresAt - 60, expiresAt }), nothing),
    consumeCode: (codeDigest) =>
      andThen(consumeCode({ digest: codeDigest, now: seconds() }), ([row]) => row && readCode(row)),
    grantStatus: (grantId) => andThen(grantStatus({ grantId }), ([row]) => row && readByGrant(row)),
    insertFamily: (inserted) => {
      const now = seconds()
      return andThen(insertFamily({ ...inserted, createdAt: now, refreshExpiresAt: now + unusedLifetime }), nothing)
    },
    familyByHandle: (handleDigest) => andThen(familyByHandle({ handleDigest }), ([row]) => row && readByHandle(row)),
    // The statement for an opaque token is that of a JWT, without the digest of one that was revoked.
    familyById: (familyId) => andThen(familyOfToken({ familyId, tokenDigest: '' }), ([row]) => row && readByToken(row)),
    familyOfToken: (familyId, tokenId) =>
      andThen(familyOfToken({ familyId, tokenDigest: digest(tokenId) }), ([row]) => row && readByToken(row)),
    rotate: (handleDigest, currentDigest, successorDigest) => {
      const now = seconds()
      return andThen(
        rotate({ handleDigest, currentDigest, successorDigest, now, refreshExpiresAt: now + unusedLifetime }),
        hasRows,
      )
    },
  }
}

/** Returns functions that read values of the recorded row. */
const samplesOf = (statement: RecordedStatement, table: string) => ({
  text: (column: string): string => sampleOf(statement, table, column),
  time: (column: string): number => Number(sampleOf(statement, table, column)),
})

/** Returns the samples that equal a parameter of the statement. */
const presentIn = <Name extends string>(
  { parameters }: RecordedStatement,
  samples: Readonly<Record<Name, SqlValue>>,
): Readonly<Record<Name, SqlValue>> =>
  Object.fromEntries(Object.entries<SqlValue>(samples).filter(([, sample]) => parameters.includes(sample))) as Record<
    Name,
    SqlValue
  >

function secretReader(statement: RecordedStatement): (row: Values) => string | undefined {
  const { at, valuesOf } = recordedTable(statement, 'mintmark_clients', ['secrets', 'disabled_at'])
  return (row) => {
    const values = valuesOf(row)
    if (values[at.disabled_at] !== null) return undefined
    return (JSON.parse(String(values[at.secrets])) as readonly { readonly digest: string }[])[0]?.digest
  }
}

function userReader(statement: RecordedStatement, table: string): (row: Values) => FloorUser | undefined {
  const { at, valuesOf } = recordedTable(statement, table, ['user_id', 'active', 'claims'])
  return (row) => {
    const values = valuesOf(row)
    if (!values[at.active]) return undefined
    return {
      userId: String(values[at.user_id]),
      active: true,
      claims: JSON.parse(String(values[at.claims])) as FloorUser['claims'],
    }
  }
}

function grantReader(statement: RecordedStatement, table: string): (row: Values) => FloorStatus['grant'] | undefined {
  const { at, valuesOf } = recordedTable(statement, table, ['grant_id', 'user_id', 'scopes', 'revoked_at'])
  return (row) => {
    const values = valuesOf(row)
    if (values[at.revoked_at] !== null) return undefined
    const scope = (JSON.parse(String(values[at.scopes])) as readonly string[]).join(' ')
    return { grantId: String(values[at.grant_id]), userId: String(values[at.user_id]), scope }
  }
}

/** Returns a function that reads the session; undefined if it was revoked or its user is inactive. */
function sessionReader(statement: RecordedStatement): (row: Values) => FloorSession | undefined {
  const session = recordedTable(statement, 'session', ['session_id', 'user_id', 'revoked_at'])
  const user = recordedTable(statement, 'user', ['active'])
  return (row) => {
    const values = session.valuesOf(row)
    if (values[session.at.revoked_at] !== null || !user.valuesOf(row)[user.at.active]) return undefined
    return { sessionId: String(values[session.at.session_id]), userId: String(values[session.at.user_id]) }
  }
}

function codeReader(statement: RecordedStatement): (row: Values) => FloorCode {
  const columns = ['grant_id', 'family_id', 'redirect_uri', 'code_challenge', 'nonce', 'expires_at'] as const
  const { at, valuesOf } = recordedTable(statement, 'mintmark_codes', columns)
  return (row) => {
    const values = valuesOf(row)
    return {
      grantId: String(values[at.grant_id]),
      familyId: String(values[at.family_id]),
      redirectUri: String(values[at.redirect_uri]),
      challenge: String(values[at.code_challenge]),
      nonce: String(values[at.nonce]),
      expiresAt: Number(values[at.expires_at]),
    }
  }
}

function statusReader(statement: RecordedStatement): (row: Values) => FloorStatus | undefined {
  const client = recordedTable(statement, 'client', ['disabled_at'])
  const readGrant = grantReader(statement, 'grant')
  const readUser = userReader(statement, 'user')
  return (row) => {
    const grant = readGrant(row)
    const user = readUser(row)
    return grant && user && client.valuesOf(row)[client.at.disabled_at] === null ? { grant, user } : undefined
  }
}

const nothing = (): undefined => undefined

const hasRows = (rows: readonly Values[]): boolean => rows.length > 0

const seconds = (): number => Math.floor(Date.now() / 1000)

/** The lifetime of an unused refresh token, in seconds. */
const unusedLifetime = 1_209_600
