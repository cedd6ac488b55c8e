// Returns a value if Chrome can describe it in about `most` characters. For a larger value, it returns [mark, a copy of
// the value's beginning], because Chrome would describe all of the value, and the page could do nothing else meanwhile.
// It runs no accessors of objects, except for the stack of errors.
(value, most, depth, mark) => {
  const huge = 2n ** 3000n
  const listed = v => Array.isArray(v) || v instanceof NodeList || v instanceof HTMLCollection
  const opaque = v => ArrayBuffer.isView(v) || v instanceof ArrayBuffer || v instanceof Date || v instanceof Promise
  const own = (v, key) => Object.getOwnPropertyDescriptor(v, key)?.value
  // Returns the text that the description of a value has for the value itself, without what is in it.
  const text = v => {
    if (typeof v === 'string') return v
    if (typeof v === 'bigint' && (v > huge || v < -huge)) return 'x'.repeat(most)
    if (typeof v === 'function') return Function.prototype.toString.call(v)
    if (v instanceof Error) return String(v.stack)
    if (v instanceof RegExp) return v.source
    if (v instanceof Element) return [...v.attributes].map(a => a.name + a.value).join()
    if (v instanceof CharacterData) return v.data
    return ''
  }
  const inner = v => typeof v === 'object' && v !== null && !opaque(v) && !(v instanceof Node) && !(v instanceof Error) && !(v instanceof RegExp)
  const least = v => v instanceof Node ? 6 : 1 // minimum length
  let left = most
  const fits = (v, depth) => {
    left -= least(v) + text(v).length
    if (left < 0) return false
    if (!inner(v) || depth === 0) return true
    if (listed(v)) {
      if (v.length > left) return false
      for (let i = 0; i < v.length; i++) if (!fits(v[i], depth - 1)) return false
      return true
    }
    if (v instanceof Map || v instanceof Set) {
      if (v.size > left) return false
      for (const [key, member] of v.entries()) if (!fits(key, depth - 1) || !fits(member, depth - 1)) return false
      return true
    }
    for (const key of Object.keys(v)) {
      left -= key.length
      if (!fits(own(v, key), depth - 1)) return false
    }
    return true
  }
  const beginning = (v, depth) => {
    const said = text(v)
    if (said.length >= left) {
      v = typeof v === 'bigint' ? '[bigint: too long]' : typeof v === 'string' ? v.slice(0, Math.max(left, 0)) : said.slice(0, Math.max(left, 0))
    }
    left -= least(v) + said.length
    if (!inner(v) || depth === 0) return v
    if (listed(v)) {
      const list = []
      for (let i = 0; i < v.length && left > 0; i++) list.push(beginning(v[i], depth - 1))
      return list
    }
    const some = v instanceof Map ? new Map() : v instanceof Set ? new Set() : {}
    if (v instanceof Map || v instanceof Set) {
      for (const [key, member] of v.entries()) {
        if (left <= 0) break
        if (v instanceof Map) some.set(beginning(key, depth - 1), beginning(member, depth - 1))
        else some.add(beginning(member, depth - 1))
      }
      return some
    }
    for (const key of Object.keys(v)) {
      if (left <= 0) break
      left -= key.length
      some[key.slice(0, most)] = beginning(own(v, key), depth - 1)
    }
    return some
  }
  if (fits(value, depth)) return value
  left = most
  return [mark, beginning(value, depth)]
}
