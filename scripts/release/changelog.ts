import parse from '@changesets/parse'

/** A file of `.changeset`, as `pnpm changeset` writes it. */
export interface Changeset {
  /** Without its ending. */
  name: string
  text: string
}

type Kind = 'major' | 'minor' | 'patch'

const titles: Record<Kind, string> = {
  major: 'What you have to do',
  minor: 'New',
  patch: 'Better',
}
const kinds: readonly Kind[] = ['major', 'minor', 'patch']

/** What a changeset says, and how much it changes: the most of what it says about any package. */
function read({ name, text }: Changeset): { kind: Kind; summary: string } {
  const { releases, summary } = parse(text)
  const kind = kinds.find((each) => releases.some(({ type }) => type === each))
  if (kind === undefined || summary.trim() === '')
    throw new Error(
      `.changeset/${name}.md must name a package with major, minor or patch, and say what changes.`,
    )
  return { kind, summary: summary.trim().replaceAll('\n', '\n  ') }
}

/** The version after `current`: all packages share one. Before 1.0 what would be major is minor. */
export function nextVersion(current: string, changesets: readonly Changeset[]): string {
  const [major = 0, minor = 0, patch = 0] = current.split('.').map(Number)
  const found = changesets.map((each) => read(each).kind)
  if (found.includes('major') && major > 0) return `${major + 1}.0.0`
  if (found.includes('major') || found.includes('minor')) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

/** The section of a release: what operators have to do first, then what is new, then what is better. */
export function sectionOf(version: string, day: string, changesets: readonly Changeset[]): string {
  const changes = changesets.map(read)
  const parts = kinds
    .map((kind) => ({ kind, lines: changes.filter((change) => change.kind === kind) }))
    .filter(({ lines }) => lines.length > 0)
    .map(
      ({ kind, lines }) =>
        `**${titles[kind]}**\n\n${lines.map(({ summary }) => `- ${summary}`).join('\n')}\n`,
    )
  return `## ${version}, ${day}\n\n${parts.join('\n')}`
}

/** The changelog with the section on top of those before it. */
export function withSection(changelog: string, section: string): string {
  const at = changelog.search(/^## /m)
  return at < 0
    ? `${changelog.trimEnd()}\n\n${section}`
    : `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`
}
