import { describe, expect, it } from '@jest/globals';
import { networkOf, UnauthenticatedLimit } from './unauthenticated-limit.js';

describe('places of connections without a token', () => {
  it('are counted by address, and with IPv6 by network', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
    expect(networkOf('2001:0DB8:1:2::9')).toBe('2001:db8:1:2');
    expect(networkOf('2001:db8::9')).toBe('2001:db8:0:0');
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0');
  });

  it('are refused to a network that has its share', () => {
    const places = new UnauthenticatedLimit({ perNetwork: 2, inAll: 10 });
    expect(places.take('2001:db8::1', 'a')).toEqual({ admitted: true, evicted: null });
    expect(places.take('2001:db8::2', 'b')).toEqual({ admitted: true, evicted: null });
    expect(places.take('2001:db8::3', 'c')).toEqual({ admitted: false, evicted: null });
    places.giveBack('2001:db8::3', 'c');
    places.giveBack('2001:db8::2', 'b');
    expect(places.take('2001:db8::3', 'c')).toEqual({ admitted: true, evicted: null });
  });

  it('are taken from the network with the most connections when none is left', () => {
    const places = new UnauthenticatedLimit({ perNetwork: 3, inAll: 4 });
    for (const connection of ['a1', 'a2', 'a3']) places.take('192.0.2.1', connection);
    places.take('192.0.2.2', 'b1');
    expect(places.take('192.0.2.3', 'c1')).toEqual({ admitted: true, evicted: 'a1' });
    expect(places.take('192.0.2.3', 'c2')).toEqual({ admitted: true, evicted: 'a2' });
    expect(places.take('192.0.2.2', 'b2')).toEqual({ admitted: true, evicted: 'c1' });
    // Its end is heard of later, and frees no second place.
    places.giveBack('192.0.2.1', 'a1');
    expect(places.take('192.0.2.4', 'd1')).toMatchObject({ admitted: true, evicted: expect.any(String) });
  });
});
