// SPDX-License-Identifier: Apache-2.0
// The replay of a report: bodies as sticks over their points, wheels, springs and the road on a plain
// canvas. Lengths come in millimetres. z is up; drag to orbit, wheel to zoom.
(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('replay-data').textContent);
  var canvas = document.getElementById('replay'), pen = canvas.getContext('2d');
  var button = document.getElementById('play'), slider = document.getElementById('time');
  var clock = document.getElementById('clock'), speed = document.getElementById('speed');
  var palette = ['#1d4ed8', '#0f766e', '#7e22ce', '#15803d', '#be185d', '#0369a1', '#4d7c0f'];
  var INK = '#1f2933', SPRING = '#c2410c';
  var view = {yaw: -0.95, pitch: 0.3, distance: 5, target: [0, 0, 0]};
  var length = (data.frames - 1) * data.dt, time = 0, playing = false, last = 0;

  // ---- positions ----------------------------------------------------------------------------------

  function mix(list, stride, at, t) {  // three numbers at time t, between frames
    var f = Math.min(Math.max(t / data.dt, 0), data.frames - 1);
    var i = Math.min(Math.floor(f), Math.max(data.frames - 2, 0)), w = f - i;
    var a = i * stride + at, b = data.frames > 1 ? a + stride : a;
    return [0, 1, 2].map(function (k) { return (list[a + k] * (1 - w) + list[b + k] * w) / 1000; });
  }
  function point(k, t) { return mix(data.xyz, 3 * data.points, 3 * k, t); }
  function wheel(k, part, t) { return mix(data.spin, 9 * data.wheels.length, 9 * k + 3 * part, t); }

  function mean(t) {  // of what the view follows
    var list = data.follow < 0 ? null : data.bodies[data.follow].p, sum = [0, 0, 0];
    if (!list || !list.length) return null;
    list.forEach(function (k) {
      var p = point(k, t);
      for (var i = 0; i < 3; i++) sum[i] += p[i] / list.length;
    });
    return sum;
  }

  // Up and down is averaged over half a second, so that the vehicle is seen to bounce, not the road.
  function target(t) {
    var here = mean(t), z = 0, n = 0, s, m;
    if (!here) return view.target;
    for (s = -0.5; s <= 0.5; s += 0.125, n++) {
      m = mean(Math.min(Math.max(t + s, 0), length));
      z += m[2];
    }
    return [here[0], here[1], z / n];
  }

  function frameAll() {  // distance that shows the first frame, or the whole motion of a mechanism
    var low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9], k, i, f, p, r = 0;
    var until = data.follow < 0 ? data.frames : 1, stride = Math.ceil(until / 100);
    for (f = 0; f < until; f += stride) {
      for (k = 0; k < data.points; k++) {
        p = point(k, f * data.dt);
        for (i = 0; i < 3; i++) { low[i] = Math.min(low[i], p[i]); high[i] = Math.max(high[i], p[i]); }
      }
    }
    if (!data.points) return;
    for (i = 0; i < 3; i++) {
      view.target[i] = (low[i] + high[i]) / 2;
      r += Math.pow(high[i] - low[i], 2);
    }
    view.distance = Math.max(1.6 * Math.sqrt(r), 0.2);
  }

  // ---- projection ---------------------------------------------------------------------------------

  var cam = {};
  function aim(t) {
    var c = Math.cos(view.pitch), s = Math.sin(view.pitch), at = target(t), d = view.distance;
    var back = [c * Math.cos(view.yaw), c * Math.sin(view.yaw), s];
    cam.r = [-Math.sin(view.yaw), Math.cos(view.yaw), 0];
    cam.u = [-s * Math.cos(view.yaw), -s * Math.sin(view.yaw), c];
    cam.f = [-back[0], -back[1], -back[2]];
    cam.o = [at[0] + d * back[0], at[1] + d * back[1], at[2] + d * back[2]];
    cam.at = at;
    cam.w = canvas.clientWidth;
    cam.h = canvas.clientHeight;
    cam.scale = 1.75 * Math.min(cam.h, 0.62 * cam.w);
  }
  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  function see(p) {  // x, y on the canvas and depth
    var q = [p[0] - cam.o[0], p[1] - cam.o[1], p[2] - cam.o[2]], depth = dot(q, cam.f);
    var k = cam.scale / Math.max(depth, 1e-3);
    return [cam.w / 2 + k * dot(q, cam.r), cam.h / 2 - k * dot(q, cam.u), depth];
  }

  // ---- drawing ------------------------------------------------------------------------------------

  function path(list, close) {
    pen.beginPath();
    list.forEach(function (p, i) { if (i) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]); });
    if (close) pen.closePath();
  }
  function stroke(list, colour, width, close) {
    path(list, close);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
  function dots(list, colour, radius) {
    pen.fillStyle = colour;
    list.forEach(function (p) {
      pen.beginPath();
      pen.arc(p[0], p[1], radius, 0, 2 * Math.PI);
      pen.fill();
    });
  }

  function hull(list) {  // convex, of points on the canvas
    var p = list.slice().sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    function half(q) {
      var h = [];
      q.forEach(function (c) {
        while (h.length > 1) {
          var a = h[h.length - 2], b = h[h.length - 1];
          if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0) break;
          h.pop();
        }
        h.push(c);
      });
      h.pop();
      return h;
    }
    return half(p).concat(half(p.reverse()));
  }

  // Squares of the road near the vehicle, from far to near, tinted by metres so that motion shows.
  function drawRoad() {
    var g = data.road, i, j, k, list = [];
    if (!g) return;
    function corner(a, b) { return [g.x0 + a * g.dx, g.y0 + b * g.dy, g.z[a * g.ny + b] / 1000]; }
    var reach = 2.2 * view.distance, skip = Math.max(1, Math.round(0.12 / g.dx));
    for (i = 0; i + 1 < g.nx; i += skip) {
      for (j = 0; j + 1 < g.ny; j++) {
        var i1 = Math.min(i + skip, g.nx - 1), a = corner(i, j);
        if (Math.hypot(a[0] - cam.at[0], a[1] - cam.at[1]) > reach) continue;
        var q = [a, corner(i1, j), corner(i1, j + 1), corner(i, j + 1)].map(see);
        if (q.some(function (p) { return p[2] < 0.05; })) continue;
        var drop = Math.abs(g.z[i1 * g.ny + j] - g.z[i * g.ny + j]) > 400 * (i1 - i) * g.dx;
        var odd = (Math.floor(a[0] + 1e-6) + Math.floor((j * g.dy) / 0.75)) & 1;
        list.push({q: q, d: q[0][2], c: drop || Math.abs(a[2] - corner(i1, j)[2]) > 0.004 ?
          '#b9c3cd' : odd ? '#e3e8ed' : '#edf0f3'});
      }
    }
    list.sort(function (a, b) { return b.d - a.d; });
    for (k = 0; k < list.length; k++) {
      path(list[k].q, true);
      pen.fillStyle = pen.strokeStyle = list[k].c;
      pen.lineWidth = 1;
      pen.fill();
      pen.stroke();
    }
  }

  function circle(c, axis, ref, r) {
    var side = [axis[1] * ref[2] - axis[2] * ref[1], axis[2] * ref[0] - axis[0] * ref[2],
      axis[0] * ref[1] - axis[1] * ref[0]], out = [];
    for (var i = 0; i < 40; i++) {
      var co = r * Math.cos(i * Math.PI / 20), si = r * Math.sin(i * Math.PI / 20);
      out.push([0, 1, 2].map(function (k) { return c[k] + co * ref[k] + si * side[k]; }));
    }
    return out;
  }

  // A drum: two rims, the tread between them, five spokes that turn.
  function drawWheel(k, t) {
    var c = wheel(k, 0, t), axis = wheel(k, 1, t), ref = wheel(k, 2, t), r = data.wheels[k].r / 1000;
    var n = Math.hypot(ref[0], ref[1], ref[2]) || 1, half = 0.22 * r;
    ref = ref.map(function (v) { return v / n; });
    var rims = [-half, half].map(function (s) {
      return circle([c[0] + s * axis[0], c[1] + s * axis[1], c[2] + s * axis[2]], axis, ref, r).map(see);
    });
    path(hull(rims[0].concat(rims[1])), true);
    pen.fillStyle = 'rgba(82,96,109,0.30)';
    pen.fill();
    rims.forEach(function (rim) { stroke(rim, '#323f4b', 1.6, true); });
    var near = rims[0][0][2] + rims[0][20][2] < rims[1][0][2] + rims[1][20][2] ? -half : half;
    var hub = [0, 1, 2].map(function (i) { return c[i] + near * axis[i]; });
    var rim = circle(hub, axis, ref, 0.62 * r).map(see), centre = see(hub);
    stroke(rim, '#52606d', 1, true);
    for (var i = 0; i < 40; i += 8) stroke([centre, rim[i]], i ? '#7b8794' : '#c2410c', i ? 1.2 : 2.2);
  }

  function drawSpring(a, b) {  // a zigzag in the plane of the canvas
    var p = see(a), q = see(b), dx = q[0] - p[0], dy = q[1] - p[1], n = Math.hypot(dx, dy) || 1;
    var w = Math.min(7, n / 7), list = [p];
    for (var i = 0; i <= 12; i++) {
      var s = 0.2 + 0.6 * i / 12, e = i === 0 || i === 12 ? 0 : i % 2 ? w : -w;
      list.push([p[0] + s * dx - e * dy / n, p[1] + s * dy + e * dx / n]);
    }
    list.push(q);
    stroke(list, SPRING, 1.8);
  }

  function drawBody(k, t) {
    var body = data.bodies[k], all = {}, list = [];
    body.p.forEach(function (i) { list.push(all[i] = see(point(i, t))); });
    var main = k === data.follow, colour = main ? INK : palette[k % palette.length];
    if (list.length > 2) {
      path(hull(list), true);
      pen.globalAlpha = main ? 0.07 : 0.16;
      pen.fillStyle = colour;
      pen.fill();
      pen.globalAlpha = 1;
    }
    body.e.forEach(function (e) { stroke([all[e[0]], all[e[1]]], colour, main ? 2 : 2.6); });
    dots(list, colour, main ? 2.6 : 3);
  }

  function depthOf(points) {
    return points.reduce(function (s, p) { return s + see(p)[2]; }, 0) / Math.max(points.length, 1);
  }
  function at(t) { return function (k) { return point(k, t); }; }

  function draw() {
    var ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineJoin = pen.lineCap = 'round';
    pen.fillStyle = '#fbfcfd';
    pen.fillRect(0, 0, w, h);
    var t = time, items = [];
    aim(t);
    drawRoad();
    data.bodies.forEach(function (b, k) {
      if (k && b.p.length) {
        items.push({d: depthOf(b.p.map(at(t))), go: function () { drawBody(k, t); }});
      } else if (!k) {
        dots(b.p.map(at(t)).map(see), '#9aa5b1', 4.5);
      }
    });
    data.lines.forEach(function (l) {
      var a = point(l.a, t), b = point(l.b, t);
      items.push({d: depthOf([a, b]), go: function () {
        if (l.spring) drawSpring(a, b); else stroke([see(a), see(b)], '#52606d', 2);
      }});
    });
    data.wheels.forEach(function (_, k) {
      items.push({d: depthOf([wheel(k, 0, t)]), go: function () { drawWheel(k, t); }});
    });
    items.sort(function (a, b) { return b.d - a.d; }).forEach(function (i) { i.go(); });
    triad();
    clock.textContent = (data.t0 + t).toFixed(2) + ' s';
    slider.value = String(Math.round(1000 * t));
  }

  function triad() {  // directions of the axes, lower left
    ['#c2410c', '#15803d', '#1d4ed8'].forEach(function (colour, i) {
      var x = 44 + 28 * cam.r[i], y = cam.h - 44 - 28 * cam.u[i];
      stroke([[44, cam.h - 44], [x, y]], colour, 2);
      pen.fillStyle = colour;
      pen.font = '12px Helvetica, Arial, sans-serif';
      pen.fillText('xyz'[i], x + 8 * cam.r[i] - 3, y - 8 * cam.u[i] + 4);
    });
  }

  // ---- controls -----------------------------------------------------------------------------------

  function tick(now) {
    if (!playing) return;
    time += (now - last) / 1000 * Number(speed.value);
    if (time > length) time = 0;
    last = now;
    draw();
    window.requestAnimationFrame(tick);
  }
  function play(on) {
    playing = on;
    button.textContent = on ? 'Pause' : 'Play';
    last = window.performance.now();
    if (on) window.requestAnimationFrame(tick);
  }
  var held = null;
  button.onclick = function () { play(!playing); };
  slider.max = String(Math.round(1000 * length));
  slider.oninput = function () { play(false); time = Number(slider.value) / 1000; draw(); };
  canvas.onpointerdown = function (e) { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = canvas.onpointercancel = function () { held = null; };
  canvas.onpointermove = function (e) {
    if (!held) return;
    view.yaw -= (e.clientX - held[0]) / 150;
    view.pitch = Math.min(1.55, Math.max(-0.3, view.pitch + (e.clientY - held[1]) / 150));
    held = [e.clientX, e.clientY];
    draw();
  };
  canvas.addEventListener('wheel', function (e) {
    e.preventDefault();
    view.distance = Math.min(200, Math.max(0.05, view.distance * Math.exp(e.deltaY / 800)));
    draw();
  }, {passive: false});
  window.addEventListener('resize', draw);
  var wanted = /^#t=([0-9.]+)$/.exec(window.location.hash);  // report.html#t=2.1 opens there
  if (wanted) time = Math.min(Math.max(Number(wanted[1]) - data.t0, 0), length);
  frameAll();
  draw();
}());
