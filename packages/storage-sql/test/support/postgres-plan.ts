/** A part of a plan, as `EXPLAIN (FORMAT JSON)` tells it. */
export interface PlanNode {
  readonly 'Node Type': string
  /** The name of a query of the statement. */
  readonly 'Subplan Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  /** With `ANALYZE`. */
  readonly 'Actual Rows'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A plan and everything below it. */
export const partsOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(partsOf)]

/** The parts that read rows. */
export const scansOf = (node: PlanNode): readonly PlanNode[] =>
  partsOf(node).filter((part) => part['Node Type'].endsWith('Scan'))

/** Whether a part finds its rows by more than whose they are. */
export function isByIndex(scan: PlanNode, statement: string): boolean {
  const conditions = new Set(scan['Index Cond']?.match(/\bissuer\b|[a-z_]+(?="? (=|<|>))|ROW\(|CASE/g) ?? [])
  // All that a provider has may be as much as all that an issuer has.
  if (!/identity_providers/.test(scan['Index Name'] ?? '')) conditions.delete('provider_id')
  switch (scan['Node Type']) {
    case 'Index Scan':
    case 'Index Only Scan':
    case 'Bitmap Index Scan':
      // An issuer has a handful of keys and of indexed attributes: all are read at once. Of the total, and of the last
      // position, it has one row.
      return (
        conditions.size >=
        (/mintmark_signing_keys|^mintmark_indexed_attributes|^mintmark_account_totals|^mintmark_ending_positions|^mintmark_change_positions|^mintmark_changes_without_position|^mintmark_webhooks/.test(
          `${scan['Index Name']} ${statement}`,
        )
          ? 1
          : 2)
      )
    // By the addresses that another part of the plan found.
    case 'Bitmap Heap Scan':
    case 'Tid Scan':
    // Lists that were given, and queries of the statement itself.
    case 'Function Scan':
    case 'CTE Scan':
    case 'Subquery Scan':
      return true
    default:
      return false
  }
}
