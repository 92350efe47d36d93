import { createLru } from './lru.ts';

describe('createLru', () => {
  it('drops what was used longest ago first', () => {
    const lru = createLru<number>(2);
    lru.set('a', 1);
    lru.set('b', 2);
    lru.get('a');
    lru.set('c', 3);
    expect(['a', 'b', 'c'].map(lru.get)).toEqual([1, undefined, 3]);
  });

  it('bounds the weight, also when values are replaced or too heavy alone', () => {
    const lru = createLru<number>(10, (weight) => weight);
    lru.set('a', 4);
    lru.set('a', 5);
    lru.set('b', 5);
    expect(['a', 'b'].map(lru.get)).toEqual([5, 5]);
    lru.set('c', 11);
    expect(['a', 'b', 'c'].map(lru.get)).toEqual([undefined, undefined, undefined]);
  });
});
