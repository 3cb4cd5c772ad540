/** A picture of boxes and arrows, as Mermaid's `flowchart TD` writes it: `a --> b`, nodes alone, and named subgraphs. */
export interface Flowchart {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly (readonly [from: string, to: string])[]
}

export interface FlowNode {
  readonly name: string
  /** The subgraph that says where it leads; undefined for none. */
  readonly group: string | undefined
}

/** @returns undefined for what is written in other words than these. */
export function parseFlowchart(text: string): Flowchart | undefined {
  const [first, ...lines] = text.trim().split('\n')
  if (first?.trim() !== 'flowchart TD') return undefined
  const groups = new Map<string, string | undefined>()
  const edges: (readonly [string, string])[] = []
  let group: string | undefined
  for (const line of lines) {
    const found = linePattern.exec(line)?.groups
    if (found === undefined) return undefined
    const { from, to, opened } = found
    if (opened !== undefined) group = opened
    else if (from === undefined) group = undefined
    else groups.set(from, groups.get(from) ?? group)
    if (from !== undefined && to !== undefined) edges.push([from, to])
  }
  const names = new Set([...groups.keys(), ...edges.map(([, to]) => to)])
  return { nodes: [...names].map((name) => ({ name, group: groups.get(name) })), edges }
}

/**
 * The nodes in rows: each stands one row above the lowest that it leads to, and as near as can be above what it leads to.
 * Nodes without an arrow have a row of their own, the last.
 */
export function rowsOf({ nodes, edges }: Flowchart): readonly (readonly FlowNode[])[] {
  const targets = (name: string): readonly string[] => edges.flatMap(([from, to]) => (from === name ? [to] : []))
  const height = (name: string): number => Math.max(0, ...targets(name).map((to) => 1 + height(to)))
  const isAlone = ({ name }: FlowNode): boolean => edges.every((edge) => !edge.includes(name))
  const linked = nodes.filter((node) => !isAlone(node))
  const top = Math.max(0, ...linked.map(({ name }) => height(name)))

  const places = new Map<string, number>()
  const pull = ({ name }: FlowNode): number => mean(targets(name).map((to) => places.get(to) ?? 0))
  const upwards = Array.from({ length: top + 1 }, (_, level) => {
    const row = linked.filter(({ name }) => height(name) === level).toSorted((one, other) => pull(one) - pull(other))
    for (const [at, { name }] of row.entries()) places.set(name, (at + 0.5) / row.length)
    return row
  })
  return [...upwards.toReversed(), nodes.filter(isAlone)].filter((row) => row.length > 0)
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const linePattern = /^\s*(?:subgraph "(?<opened>[^"]+)"|end|(?<from>[\w-]+)(?: --> (?<to>[\w-]+))?)\s*$/
