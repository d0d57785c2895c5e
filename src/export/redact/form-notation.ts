import { CLASSES } from './forms.ts'

/** A part of a form: literal text, or characters of a class. */
export type FormPart = string | { readonly characters: string; readonly min: number; readonly max: number }

/** No vendor's token is longer; keeps a match bounded. */
const LONGEST = 4000

/** The variants of a form, one for each choice of its alternatives. See forms.ts for the notation. */
export function variantsOf(form: string): string[] {
  const group = /\(([^()]*)\)/.exec(form)
  if (!group) return [form]
  const [before, after] = [form.slice(0, group.index), form.slice(group.index + group[0].length)]
  return group[1]!.split('|').flatMap((choice) => variantsOf(before + choice + after))
}

/** The parts of one variant. */
export function partsOf(variant: string): FormPart[] {
  return variant
    .split(/(<[A-Za-z]\d+(?:-\d+|\+)?>)/)
    .filter((part) => part !== '')
    .map((part) => {
      const random = /^<([A-Za-z])(\d+)(?:-(\d+)|(\+))?>$/.exec(part)
      if (!random) return part
      const [, name, least, most, open] = random
      const min = Number(least)
      return { characters: CLASSES[name!]!, min, max: most ? Number(most) : open ? LONGEST : min }
    })
}

/** A sticky expression for one variant, which ends where its last characters end. */
export function patternOf(parts: readonly FormPart[]): RegExp {
  const source = parts.map((part) =>
    typeof part === 'string'
      ? part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
      : `[${part.characters.replace('/', '\\/')}]{${part.min},${part.max}}`,
  )
  // Base64 may be padded.
  const last = parts.at(-1)
  const padding = typeof last === 'object' && last.characters.includes('+/') ? '={0,2}' : ''
  return new RegExp(`${source.join('')}${padding}(?![A-Za-z0-9])`, 'y')
}
