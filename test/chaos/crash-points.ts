import type { CrashPoint } from '../processes/server-config.ts'
import type { OperationName } from './client-operations.ts'

/** A point at which a server dies during an operation, and the state that it leaves. */
export interface NamedPoint {
  readonly name: string
  readonly operation: OperationName
  readonly crash: CrashPoint
  /** Whether the one-time change of the operation has been stored. */
  readonly effect: 'none' | 'done'
}

/** Twenty crash points around code redemption and refresh token rotation. */
export const crashPoints: readonly NamedPoint[] = [
  point('redeem', 'before clients.find', 'none'),
  point('redeem', 'after clients.find', 'none'),
  point('redeem', 'before codes.consume', 'none'),
  point('redeem', 'after codes.consume', 'done'),
  point('redeem', 'before status.ofGrant', 'done'),
  point('redeem', 'after status.ofGrant', 'done'),
  point('redeem', 'before families.insert', 'done'),
  point('redeem', 'after families.insert', 'done'),
  point('replay', 'before codes.consume', 'none'),
  point('replay', 'before families.insertTombstone', 'none'),
  point('replay', 'after families.insertTombstone', 'done'),
  point('rotate', 'before status.ofRefreshHandle', 'none'),
  point('rotate', 'after status.ofRefreshHandle', 'none'),
  point('rotate', 'before families.rotate', 'none'),
  point('rotate', 'after families.rotate', 'done'),
  point('retry', 'after families.rotate', 'done'),
  point('reuse', 'before families.rotate', 'none'),
  point('reuse', 'after families.rotate', 'done'),
  point('revoke', 'before families.revoke', 'none'),
  point('revoke', 'after families.revoke', 'done'),
]

function point(
  operation: OperationName,
  time: `${CrashPoint['when']} ${string}`,
  effect: NamedPoint['effect'],
): NamedPoint {
  const [when, call] = time.split(' ') as [CrashPoint['when'], string]
  return { name: `${operation}: ${time}`, operation, crash: { when, call }, effect }
}
