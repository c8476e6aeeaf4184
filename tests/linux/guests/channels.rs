// Threads, channels, hash tables, floating point in text, unwinding.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let total = Arc::new(Mutex::new(0u64));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let (sender, total) = (sender.clone(), Arc::clone(&total));
            thread::spawn(move || {
                for step in 0..200u64 {
                    *total.lock().unwrap() += step;
                    sender.send((number, step as f64 / 3.0)).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    let mut sums: HashMap<i32, f64> = HashMap::new();
    for (number, value) in receiver {
        *sums.entry(number).or_default() += value;
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|&(number, _)| number);
    for (number, sum) in sums {
        println!("{number} {sum} {sum:.3} {sum:e}");
    }
    println!("{} {:?}", total.lock().unwrap(), "3.25e-2".parse::<f64>());
    let (bounded, answers) = mpsc::sync_channel(1);
    let panicked = thread::spawn(move || {
        bounded.send(1).unwrap();
        let none: Vec<i32> = Vec::new();
        none[std::env::args().count()]
    });
    println!("{:?} {}", answers.recv(), panicked.join().is_err());
    std::process::exit(7);
}
