/** A part of a plan, as `EXPLAIN (FORMAT JSON)` returns it. */
export interface PlanNode {
  readonly 'Node Type': string
  /** The name of the subquery that the node plans. */
  readonly 'Subplan Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  /** Present with `ANALYZE`. */
  readonly 'Actual Rows'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Returns a node and all nodes below it. */
export const partsOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(partsOf)]

/** Returns the parts that read rows. */
export const scansOf = (node: PlanNode): readonly PlanNode[] =>
  partsOf(node).filter((part) => part['Node Type'].endsWith('Scan'))

/** Whether a part finds its rows by further columns than those of their owner. */
export function isByIndex(scan: PlanNode, statement: string): boolean {
  const conditions = new Set(scan['Index Cond']?.match(/\bissuer\b|[a-z_]+(?="? (=|<|>))|ROW\(|CASE/g) ?? [])
  // A provider may have as many rows as the whole issuer.
  if (!/identity_providers/.test(scan['Index Name'] ?? '')) conditions.delete('provider_id')
  switch (scan['Node Type']) {
    case 'Index Scan':
    case 'Index Only Scan':
    case 'Bitmap Index Scan':
      // An issuer has a handful of keys and of indexed attributes, which are all read at once, and one row with the total and
      // with the last position.
      return (
        conditions.size >=
        (/mintmark_signing_keys|^mintmark_indexed_attributes|^mintmark_user_totals|^mintmark_revocation_positions|^mintmark_change_positions|^mintmark_changes_without_position|^mintmark_webhooks/.test(
          `${scan['Index Name']} ${statement}`,
        )
          ? 1
          : 2)
      )
    // These read rows at addresses that another part of the plan has found.
    case 'Bitmap Heap Scan':
    case 'Tid Scan':
    // These read lists in parameters, and subqueries of the statement.
    case 'Function Scan':
    case 'CTE Scan':
    case 'Subquery Scan':
      return true
    default:
      return false
  }
}
